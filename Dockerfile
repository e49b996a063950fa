# Both programs and what they need, and nothing else: no shell, no user but one.
#
#   docker build -t a2alock .
#   docker run --rm -v "$PWD:/work" -w /work --entrypoint /usr/local/bin/a2alock a2alock check
#   docker run -v a2alockd:/var/lib/a2alockd -v "$PWD/a2alock.yaml:/etc/a2alock/a2alock.yaml:ro" a2alock
#
# docs/ci.md and docs/daemon.md tell more.
FROM golang:1.26.10-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o /out/ ./cmd/a2alock ./cmd/a2alockd && mkdir /store

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/a2alock /out/a2alockd /usr/local/bin/
COPY --from=build --chown=65532:65532 /store /var/lib/a2alockd
USER 65532:65532
# Where daemon.store belongs: bbolt: /var/lib/a2alockd/a2alockd.db
VOLUME /var/lib/a2alockd
# Asks the daemon's API, with $A2ALOCK_TOKEN where it wants one.
HEALTHCHECK --interval=1m --timeout=10s --start-period=1m \
	CMD ["/usr/local/bin/a2alock", "status", "--config", "/etc/a2alock/a2alock.yaml"]
ENTRYPOINT ["/usr/local/bin/a2alockd"]
CMD ["run", "--config", "/etc/a2alock/a2alock.yaml"]
