# Two images of crier:
#
#	docker build --target crier .            for PostgreSQL, Kafka, ClickHouse and a bucket given by URL
#	docker build --target crier-embedded .   with PostgreSQL, the log and ClickHouse inside, for one machine
#
# VERSION, COMMIT and DATE are what crier --version shows.

FROM docker.io/library/node:24-bookworm-slim AS console
WORKDIR /src/gateway/web
COPY gateway/web/package.json gateway/web/package-lock.json gateway/web/.npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci
COPY gateway/web ./
COPY schema/openapi/openapi.yaml /src/schema/openapi/openapi.yaml
COPY schema/face /src/schema/face
RUN npm run build

FROM docker.io/library/golang:1.26-bookworm AS source
WORKDIR /src
COPY . .
COPY --from=console /src/gateway/web/dist/app gateway/web/dist/app
ARG VERSION=development
ARG COMMIT=
ARG DATE=
ENV CGO_ENABLED=0
ENV LDFLAGS="-s -w -X main.version=${VERSION} -X main.commit=${COMMIT} -X main.date=${DATE}"
# What an image without a distribution needs to have of one.
RUN mkdir -p /root-of-crier/etc/ssl/certs /root-of-crier/data /root-of-crier/keyset \
	&& install -d -m 1777 /root-of-crier/tmp \
	&& chown 65532:65532 /root-of-crier/data /root-of-crier/keyset && chmod 700 /root-of-crier/data /root-of-crier/keyset \
	&& echo 'crier:x:65532:65532:crier:/data:/sbin/nologin' >/root-of-crier/etc/passwd \
	&& echo 'crier:x:65532:' >/root-of-crier/etc/group \
	&& cp /etc/ssl/certs/ca-certificates.crt /root-of-crier/etc/ssl/certs/ \
	&& mkdir -p /root-of-crier/usr/share/doc/crier && cp -r docs/licences /root-of-crier/usr/share/doc/crier/

# Without libc, and so without the one part that is loaded as a library.
FROM source AS static
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
	go build -tags static,nomsgpack,nodynamic -trimpath -gcflags=all=-dwarf=false -ldflags "$LDFLAGS" -o /root-of-crier/usr/local/bin/crier ./cmd/crier

FROM source AS linked
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
	go build -tags nomsgpack,nodynamic -trimpath -gcflags=all=-dwarf=false -ldflags "$LDFLAGS" -o /usr/local/bin/crier ./cmd/crier
# Making a key starts PostgreSQL, which is fetched then. Archives and static libraries are of
# no use to who runs it.
RUN CRIER_CACHE=/cache crier keys create --workspace image --data /tmp/data >/dev/null \
	&& rm -rf /tmp/data /cache/postgres/*.txz /cache/postgres/*.lock /cache/postgres/*/lib/*.a

FROM docker.io/library/node:24-bookworm-slim AS libchdb
COPY scripts/cache.sh scripts/libchdb.sh /scripts/
RUN CRIER_CACHE=/cache /scripts/libchdb.sh

FROM docker.io/library/debian:bookworm-slim AS crier-embedded
COPY --from=source /root-of-crier/etc/ssl /etc/ssl
COPY --from=source /root-of-crier/usr/share/doc/crier /usr/share/doc/crier
RUN groupadd --gid 65532 crier \
	&& useradd --uid 65532 --gid 65532 --home-dir /data --no-create-home --shell /usr/sbin/nologin crier \
	&& install -d -o crier -g crier -m 700 /data
COPY --from=libchdb /cache /var/cache/crier
COPY --from=linked /cache /var/cache/crier
COPY --from=linked /usr/local/bin/crier /usr/local/bin/crier
ENV CRIER_CACHE=/var/cache/crier CRIER_DATA=/data CRIER_LISTEN=0.0.0.0:8080 CRIER_ADMIN_LISTEN=0.0.0.0:8081
VOLUME /data
USER 65532:65532
EXPOSE 8080 8081
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["/usr/local/bin/crier", "health"]
ENTRYPOINT ["/usr/local/bin/crier"]
CMD ["serve"]

FROM scratch AS crier
COPY --from=static /root-of-crier /
ENV CRIER_DATA=/data CRIER_LISTEN=0.0.0.0:8080 CRIER_ADMIN_LISTEN=0.0.0.0:8081
VOLUME /data
USER 65532:65532
EXPOSE 8080 8081
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["/usr/local/bin/crier", "health"]
ENTRYPOINT ["/usr/local/bin/crier"]
CMD ["serve"]
