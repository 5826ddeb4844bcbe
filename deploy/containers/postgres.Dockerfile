# Stands in for postgres. The entry point creates the database once, as the published one does.
FROM signalbox-base:debian
COPY postgres-entrypoint /usr/local/bin/
RUN ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/ && mkdir -p /var/lib/postgresql/data && \
    chown postgres:postgres /var/lib/postgresql/data && chmod 700 /var/lib/postgresql/data && \
    install -d -o postgres -g postgres -m 3777 /run/postgresql
ENV PGDATA=/var/lib/postgresql/data
ENTRYPOINT ["postgres-entrypoint"]
STOPSIGNAL SIGINT
