"""The command line `pechvogel`, on top of all other packages."""
