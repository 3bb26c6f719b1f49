"""The programs that a person would write for the same clusters, one a cloud: typed classes, loops, nothing shared with
gpuinfra."""
