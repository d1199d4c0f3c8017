import { type Kysely, sql } from 'kysely'

/**
 * What each person did in a calendar year of the site, and in all years (0), so that reports need not count every login,
 * session and module of years. Triggers keep it, in the transaction of the row that is counted: rows are also written by
 * older builds and removed by cascades. `sites.figures_zone` is the time zone whose years these are
 * (docs/decisions/042).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table sites add column figures_zone text`.execute(db)
  await sql`
    create table person_years (
      site_id           bigint not null,
      user_id           bigint not null,
      year              integer not null,
      logins            integer not null default 0,
      first_login_at    timestamptz,
      last_login_at     timestamptz,
      sessions          integer not null default 0,
      session_seconds   bigint not null default 0,
      modules_started   integer not null default 0,
      modules_completed integer not null default 0,
      primary key (site_id, year, user_id),
      foreign key (site_id, user_id) references users (site_id, id) on delete cascade
    ) with (fillfactor = 80)`.execute(db)
  await sql`create index person_years_by_user on person_years (user_id)`.execute(db)

  await sql`
    create function whole_seconds(begun timestamptz, ended timestamptz) returns bigint language sql immutable as $$
      select floor(greatest(date_part('epoch', ended - begun), 0) + 0.5)::bigint
    $$`.execute(db)

  await sql`
    create function forget_figures_zone() returns trigger language plpgsql as $$
    begin
      new.figures_zone := null;
      return new;
    end $$`.execute(db)
  await sql`
    create trigger forget_figures_zone before update of time_zone on sites
    for each row when (old.time_zone is distinct from new.time_zone) execute function forget_figures_zone()`.execute(db)

  /* Counts everything of some people again. Their locks wait for what is being counted, and hold up what comes. */
  await sql`
    create function rebuild_person_years(site bigint, first_person bigint, last_person bigint) returns void
    language plpgsql as $$
    declare
      zone text;
    begin
      perform from users where site_id = site and id between first_person and last_person order by id for update;
      select time_zone into zone from sites where id = site;
      delete from person_years where site_id = site and user_id between first_person and last_person;
      insert into person_years (
        site_id, user_id, year, logins, first_login_at, last_login_at, sessions, session_seconds, modules_started,
        modules_completed)
      select site, user_id, coalesce(year, 0), sum(login), min(login_at), max(login_at), sum(session), sum(seconds),
        sum(started), sum(completed)
      from (
        select user_id, extract(year from at at time zone zone)::integer as year, 1 as login, at as login_at, 0 as session,
          0::bigint as seconds, 0 as started, 0 as completed
        from logins where site_id = site and user_id between first_person and last_person
        union all
        select user_id, extract(year from started_at at time zone zone)::integer, 0, null, 1,
          whole_seconds(started_at, last_seen_at), 0, 0
        from visits where site_id = site and user_id between first_person and last_person
        union all
        select user_id, extract(year from started_at at time zone zone)::integer, 0, null, 0, 0, 1, 0
        from module_progress where site_id = site and user_id between first_person and last_person
        union all
        select user_id, extract(year from completed_at at time zone zone)::integer, 0, null, 0, 0, 0, 1
        from module_progress where site_id = site and completed_at is not null and user_id between first_person and last_person
      ) facts
      group by grouping sets ((user_id, year), (user_id));
    end $$`.execute(db)

  /* Reads the zone after it has the lock of the person, so that it counts in that of a rebuild which it waited for. */
  await sql`
    create function add_to_person_years(
      site bigint, person bigint, moment timestamptz, login integer, session integer, seconds bigint, started integer,
      completed integer) returns void language plpgsql as $$
    declare
      zone text;
    begin
      -- The rows of somebody whose account is being removed go with it.
      perform from users where id = person and site_id = site for key share;
      if not found then
        return;
      end if;
      select time_zone into zone from sites where id = site;
      insert into person_years as known (
        site_id, user_id, year, logins, first_login_at, last_login_at, sessions, session_seconds, modules_started,
        modules_completed)
      select site, person, y, login, case when login > 0 then moment end, case when login > 0 then moment end, session,
        seconds, started, completed
      from unnest(array[0, extract(year from moment at time zone zone)::integer]) y order by y
      on conflict (site_id, year, user_id) do update set
        logins = known.logins + excluded.logins,
        first_login_at = least(known.first_login_at, excluded.first_login_at),
        last_login_at = greatest(known.last_login_at, excluded.last_login_at),
        sessions = known.sessions + excluded.sessions,
        session_seconds = known.session_seconds + excluded.session_seconds,
        modules_started = known.modules_started + excluded.modules_started,
        modules_completed = known.modules_completed + excluded.modules_completed;
    end $$`.execute(db)

  await sql`
    create function count_login() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        perform add_to_person_years(new.site_id, new.user_id, new.at, 1, 0, 0, 0, 0);
      elsif exists (select from users where id = old.user_id) then
        perform rebuild_person_years(old.site_id, old.user_id, old.user_id);
        if tg_op = 'UPDATE' and new.user_id <> old.user_id then
          perform rebuild_person_years(new.site_id, new.user_id, new.user_id);
        end if;
      end if;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger count_login after insert or update or delete on logins
    for each row execute function count_login()`.execute(db)

  await sql`
    create function count_visit() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and new.user_id = old.user_id and new.started_at = old.started_at then
        perform add_to_person_years(new.site_id, new.user_id, new.started_at, 0, 0,
          whole_seconds(new.started_at, new.last_seen_at) - whole_seconds(old.started_at, old.last_seen_at), 0, 0);
        return null;
      end if;
      if tg_op <> 'INSERT' then
        perform add_to_person_years(old.site_id, old.user_id, old.started_at, 0, -1,
          -whole_seconds(old.started_at, old.last_seen_at), 0, 0);
      end if;
      if tg_op <> 'DELETE' then
        perform add_to_person_years(new.site_id, new.user_id, new.started_at, 0, 1,
          whole_seconds(new.started_at, new.last_seen_at), 0, 0);
      end if;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger count_visit after insert or update or delete on visits
    for each row execute function count_visit()`.execute(db)

  await sql`
    create function count_progress() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        perform add_to_person_years(old.site_id, old.user_id, old.started_at, 0, 0, 0, -1, 0);
        if old.completed_at is not null then
          perform add_to_person_years(old.site_id, old.user_id, old.completed_at, 0, 0, 0, 0, -1);
        end if;
      end if;
      if tg_op <> 'DELETE' then
        perform add_to_person_years(new.site_id, new.user_id, new.started_at, 0, 0, 0, 1, 0);
        if new.completed_at is not null then
          perform add_to_person_years(new.site_id, new.user_id, new.completed_at, 0, 0, 0, 0, 1);
        end if;
      end if;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger count_progress after insert or delete on module_progress
    for each row execute function count_progress()`.execute(db)
  await sql`
    create trigger count_changed_progress after update on module_progress
    for each row when (
      old.started_at is distinct from new.started_at or old.completed_at is distinct from new.completed_at
      or old.user_id <> new.user_id)
    execute function count_progress()`.execute(db)

  await sql`
    select rebuild_person_years(site_id, min(id), max(id)) from users group by site_id`.execute(db)
  await sql`update sites set figures_zone = time_zone`.execute(db)

  /* The order of people in reports, and how many answers of a kind are correct. */
  await sql`
    create index users_in_reports on users (site_id, (erased_at is not null), name_key, id)`.execute(db)
  await sql`
    create index question_answers_by_kind on question_answers (site_id, kind, answered_at, seq) include (is_correct)`.execute(
    db,
  )
}
