module queryengine/services/engine

go 1.26.8

require (
	queryengine/pkg v0.0.0
	queryengine/proto v0.0.0
	queryengine/services/event-delivery v0.0.0
	queryengine/services/gateway v0.0.0
	queryengine/services/metadata v0.0.0
	queryengine/services/query-executor v0.0.0
	queryengine/services/scheduler v0.0.0
)

require (
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/pgx/v5 v5.12.0 // indirect
	github.com/stretchr/testify v1.12.1 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace queryengine/proto => ../../proto

replace queryengine/pkg => ../../pkg

replace queryengine/services/gateway => ../gateway

replace queryengine/services/metadata => ../metadata

replace queryengine/services/query-executor => ../query-executor

replace queryengine/services/event-delivery => ../event-delivery

replace queryengine/services/scheduler => ../scheduler
