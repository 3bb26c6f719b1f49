"""What every test shares."""

from hypothesis import HealthCheck, settings

# How long a case takes is the benchmarks' question: here a busy machine would fail tests of right code.
settings.register_profile("gpuinfra", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("gpuinfra")
