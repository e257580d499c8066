.PHONY: libchdb
libchdb: ## install ClickHouse's engine into the cache folder, once
	@scripts/libchdb.sh
