"""gpuinfra: one typed spec becomes the right GPU cluster. Names are loaded when they are first used."""
