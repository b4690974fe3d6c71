import Hummingbird
import Preservation

/// Middleware that converts Reprise's errors to HTTP errors.
public struct RepriseErrorMiddleware<Context: RequestContext>: RouterMiddleware {
    /// Creates the middleware.
    public init() {}

    /// Passes a request to the next handler and converts any error that it throws.
    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as UnsavedChange {
            // The change is only in memory. The client must not rely on it.
            throw HTTPError(
                HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
                message: error.description)
        } catch let error as ApplicationError {
            throw HTTPError(.serviceUnavailable, message: error.description)
        } catch let error as RestorableValueError {
            switch error.code {
            case .invalidIdentifier: throw HTTPError(.badRequest, message: error.description)
            case .elementExists: throw HTTPError(.conflict, message: error.description)
            case .noSuchElement: throw HTTPError(.notFound, message: error.description)
            default: throw error
            }
        }
    }
}
