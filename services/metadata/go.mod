module queryengine/services/metadata

go 1.26.8

require (
	queryengine/pkg v0.0.0
	queryengine/proto v0.0.0
)

replace queryengine/proto => ../../proto

replace queryengine/pkg => ../../pkg
