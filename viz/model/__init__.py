"""The content of a picture, without coordinates: findings, boxes and lines, moments, tables and verdicts."""
