#!/bin/sh
# The cost of a request beyond its trials (requests.c lists the requests).
exec bench/requests
