import Tracing

/// Spans of an application in swift-distributed-tracing. Without a tracer, no spans are created.
final class ApplicationTracing {
    /// Work for which a span is created.
    enum Work: String {
        /// A command that may change state, from the call until the reply.
        case update
        /// A turn, which runs commands, makes passes, writes the changes and sends the replies.
        case turn
        /// The passes of a turn.
        case pass
        /// A write to the archive.
        case write
        /// A sync, which makes the written state durable.
        case sync
    }

    private let tracer: (any Tracer)?
    private let application: String
    /// Context of the current span, or `nil` if there is none.
    private var context: ServiceContext?

    /// Creates the spans of an application.
    ///
    /// - Parameter application: The bundle identifier of the application.
    init(_ tracer: (any Tracer)?, application: String) {
        self.tracer = tracer
        self.application = application
    }

    /// Runs synchronous work in a span, whose parent is the span of the surrounding work.
    func span<Result, Failure: Error>(
        _ work: Work, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let tracer else { return try body() }
        let outer = context
        let span = tracer.startSpan(
            work, of: application, in: outer ?? .current ?? .topLevel)
        context = span.context
        defer {
            context = outer
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
    /// Starts the span of some work.
    func startSpan(
        _ work: ApplicationTracing.Work, of application: String,
        in context: ServiceContext = .current ?? .topLevel
    ) -> any Tracing.Span {
        let span: any Tracing.Span = startSpan(
            "reprise.\(work.rawValue)", context: context, ofKind: .internal)
        span.attributes["reprise.application"] = application
        return span
    }
}

extension Tracing.Span {
    /// Records that the work failed.
    func fail(with error: any Error) {
        recordError(error)
        setStatus(SpanStatus(code: .error))
    }
}
