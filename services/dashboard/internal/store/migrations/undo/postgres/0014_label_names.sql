DROP INDEX requests_label_names;
