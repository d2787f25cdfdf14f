"""HTTP contracts over the one core: each face is a folder with `contract.py` (wire models) and `routes.py`."""
