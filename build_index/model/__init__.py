"""An embedding model: from pinned weights to a checked int8 ONNX graph."""
