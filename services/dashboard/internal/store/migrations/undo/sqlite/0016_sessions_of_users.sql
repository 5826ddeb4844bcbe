DROP INDEX sessions_of_users;
