/** The tables of each kind of content that can be assigned. */
export const assignmentTables = {
  module: { content: 'modules', assignments: 'module_assignments', plans: 'module_access_plans', column: 'module_id' },
  course: { content: 'courses', assignments: 'course_assignments', plans: 'course_access_plans', column: 'course_id' },
} as const
