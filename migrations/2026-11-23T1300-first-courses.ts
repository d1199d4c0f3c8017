import { type Kysely, sql } from 'kysely'

/**
 * Which tags an answer of the questionnaire stands for. The home page offers newcomers the first course with such a tag.
 * A tag is a text, because a site may name tags that it does not have yet. Existing sites get the tags of the questions
 * that they were set up with, where they still have them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table profile_option_tags (
      option_id bigint not null references profile_options on delete cascade,
      tag       text not null check (length(tag) between 1 and 100),
      primary key (option_id, tag)
    )`.execute(db)
  await sql`
    insert into profile_option_tags (option_id, tag)
    select profile_options.id, stands_for.tag
    from profile_options join (values
      ('Finding and validating a target', 'target validation'),
      ('Finding and validating a target', 'clinical need'),
      ('Screening and optimizing compounds', 'assays'),
      ('Screening and optimizing compounds', 'screening'),
      ('Screening and optimizing compounds', 'medicinal chemistry'),
      ('Animal and safety studies', 'toxicology'),
      ('Animal and safety studies', 'animal studies'),
      ('Designing and running clinical trials', 'trial design'),
      ('Regulation and approval', 'regulation'),
      ('Funding and founding a company', 'strategy'),
      ('None yet', 'overview')
    ) as stands_for (option, tag) on stands_for.option = profile_options.text`.execute(db)
}
