# Stands in for haproxy.
FROM signalbox-base:debian
CMD ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
ENV PATH=/usr/sbin:/usr/bin:/sbin:/bin
