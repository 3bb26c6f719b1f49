from gpuinfra.pytest_plugin import assert_golden, record_program

__all__ = ["assert_golden", "record_program"]
