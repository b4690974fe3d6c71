import GRDB
import Hummingbird
import Logging
import WebQueue

@main struct Program {
    static func main() async throws {
        let environment = Environment()
        let database = try openDatabase(
            at: (environment.get("STATE_DIRECTORY") ?? ".") + "/jobs.sqlite",
            isDurable: environment.get("DURABILITY") != "written")
        try await runProgram(
            store: GRDBStore(database: database), persist: GRDBPersistDriver(database: database),
            middleware: [DatabaseErrorMiddleware()],
            logger: Logger(label: "webqueue-grdb"))
    }
}

/// Middleware that converts database errors to HTTP errors.
struct DatabaseErrorMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            throw HTTPError(
                HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
                message: error.description)
        }
    }
}
