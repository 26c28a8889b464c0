"""Values and ports. Imports nothing of ours, and nothing of Flet, llama_cpp, onnxruntime or apsw."""
