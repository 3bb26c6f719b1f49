"""One module a package: what its cloud is like, as data and small behaviours."""
