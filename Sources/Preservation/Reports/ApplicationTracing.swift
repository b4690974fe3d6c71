import Tracing

/// Tracing of an application with swift-distributed-tracing. Without a tracer, no spans are created.
final class ApplicationTracing {
    /// Operation that is traced as a span.
    enum TracedOperation: String {
        /// A command that may change state, from the call until the reply.
        case update
        /// A turn, which runs commands, makes passes, writes the changes and sends the replies.
        case turn
        /// The passes in a turn.
        case pass
        /// A write to the archive.
        case write
        /// A sync, which makes the written state durable.
        case sync
    }

    private let tracer: (any Tracer)?
    private let bundleIdentifier: String
    /// Context of the current span, or `nil` if no span is active.
    private var context: ServiceContext?

    /// Creates the tracing for an application.
    ///
    /// - Parameter bundleIdentifier: The bundle identifier of the application.
    init(_ tracer: (any Tracer)?, bundleIdentifier: String) {
        self.tracer = tracer
        self.bundleIdentifier = bundleIdentifier
    }

    /// Runs a synchronous closure in a span. If another span is active, the new span is its child.
    func span<Result, Failure: Error>(
        _ operation: TracedOperation, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let tracer else { return try body() }
        let outerContext = context
        let span = tracer.startSpan(
            operation, of: bundleIdentifier, in: outerContext ?? .current ?? .topLevel)
        context = span.context
        defer {
            context = outerContext
            span.end()
        }
        do throws(Failure) {
            return try body()
        } catch {
            span.fail(with: error)
            throw error
        }
    }
}

extension Tracer {
    /// Starts a span for an application's operation.
    func startSpan(
        _ operation: ApplicationTracing.TracedOperation, of bundleIdentifier: String,
        in context: ServiceContext = .current ?? .topLevel
    ) -> any Tracing.Span {
        let span: any Tracing.Span = startSpan(
            "reprise.\(operation.rawValue)", context: context, ofKind: .internal)
        span.attributes["reprise.application"] = bundleIdentifier
        return span
    }
}

extension Tracing.Span {
    /// Records the error that an operation threw, and marks the span as failed.
    func fail(with error: any Error) {
        recordError(error)
        setStatus(SpanStatus(code: .error))
    }
}
