-- Deletes alerts, their channels and their history.
DROP TABLE alert_clock;
DROP TABLE alert_deliveries;
DROP TABLE alert_events;
DROP TABLE alert_states;
DROP TABLE alert_rules;
DROP TABLE alert_channels;
