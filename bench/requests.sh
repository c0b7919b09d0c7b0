#!/bin/sh
# What a request costs beyond its trials (requests.c says of what).
exec bench/requests
