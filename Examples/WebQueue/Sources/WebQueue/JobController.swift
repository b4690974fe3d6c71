import Hummingbird

struct JobRequest: Decodable {
    var title: String
    var isUrgent: Bool?
}

extension Job: ResponseCodable {}
extension JobList: ResponseCodable {}

/// The routes for jobs.
///
/// The client chooses the `id` of a job, so it can safely repeat a request if it receives no reply.
struct JobController<Store: JobStore> {
    let store: Store

    var endpoints: RouteCollection<SessionContext> {
        RouteCollection(context: SessionContext.self)
            .get { _, _ in try await store.jobs() }
            .get(":id", use: job)
            .put(":id", use: add)
            .delete(":id", use: remove)
    }

    @Sendable private func job(_ request: Request, context: SessionContext) async throws -> Job {
        guard let job = try await store.job(id: context.parameters.require("id")) else {
            throw HTTPError(.notFound)
        }
        return job
    }

    @Sendable private func add(
        _ request: Request, context: SessionContext
    ) async throws -> EditedResponse<Job> {
        let body = try await request.decode(as: JobRequest.self, context: context)
        let job = Job(
            id: try context.parameters.require("id"), title: body.title, user: try context.user)
        if try await store.add(job, isUrgent: body.isUrgent ?? false) {
            return EditedResponse(status: .created, response: job)
        }
        return EditedResponse(response: try await self.job(request, context: context))
    }

    @Sendable private func remove(
        _ request: Request, context: SessionContext
    ) async throws -> HTTPResponse.Status {
        try await store.remove(context.parameters.require("id")) ? .noContent : .notFound
    }
}
