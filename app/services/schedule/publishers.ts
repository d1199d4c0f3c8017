import type { ScheduledAction, ScheduledKind } from '~/forms/schedule.ts'
import type { Ctx } from '../context.ts'
import { publishCourse } from '../courses/publish-course.server.ts'
import { publishLecture } from '../lectures/save-lecture.server.ts'
import { publishModule, unpublishModule } from '../modules/modules.server.ts'
import { publishVideo } from '../videos/save-video.server.ts'

/** How each kind of content is published: by its own domain, whose rules hold at the time of the change. */
export const publishers: Record<ScheduledKind, (ctx: Ctx, uid: string, action: ScheduledAction) => Promise<unknown>> = {
  course: (ctx, courseUid, action) => publishCourse(ctx, { courseUid, publish: action === 'publish' }),
  lecture: (ctx, lectureUid, action) => publishLecture(ctx, { lectureUid, publish: action === 'publish' }),
  module: (ctx, moduleUid, action) => (action === 'publish' ? publishModule : unpublishModule)(ctx, { moduleUid }),
  video: (ctx, videoUid, action) => publishVideo(ctx, { videoUid, publish: action === 'publish' }),
}
