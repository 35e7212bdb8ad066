# The app alone, static, on an empty image: no shell, no other programs, and not the embedded PostgreSQL, so DATABASE_URL is
# needed. docs/deploy.md says how to run it.
FROM golang:1.26.8 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags=-s -o /out/onlyonce ./cmd/server

FROM scratch
# Mail servers and databases are reached by TLS.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/onlyonce /onlyonce
USER 65532:65532
ENV ADDR=:8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["/onlyonce", "health"]
ENTRYPOINT ["/onlyonce"]
