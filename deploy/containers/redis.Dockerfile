# Stands in for redis.
FROM signalbox-base:debian
RUN mkdir -p /data && chown redis:redis /data
WORKDIR /data
CMD ["redis-server"]
