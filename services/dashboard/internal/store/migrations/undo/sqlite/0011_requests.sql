-- Deletes saved views.
DROP INDEX comparisons_by_request;
DROP TABLE saved_views;
DROP INDEX requests_by_tokens;
DROP INDEX requests_by_ttft;
DROP INDEX requests_by_latency;
DROP INDEX requests_by_saved;
DROP INDEX requests_by_cost;
