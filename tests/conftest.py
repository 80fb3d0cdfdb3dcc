"""The same examples on every run, so that a failure can be repeated."""

from hypothesis import HealthCheck, settings

settings.register_profile("ordain", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ordain")
