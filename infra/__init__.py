"""The deployment on AWS, as a CDK app: `python -m infra.app`."""
