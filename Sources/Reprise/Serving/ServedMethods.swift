import Preservation
import RepriseControl
import Varlink

/// Implementations of the methods of `org.reprise.Control`. A test compares them with the definition.
struct ServedMethods {
    /// Interface with a function for each of its methods.
    private(set) var implementation: InterfaceImplementation
    /// Calls that have an implementation.
    private(set) var calls: [any ControlCall.Type] = []

    /// Creates an implementation without methods.
    ///
    /// - Throws: A syntax error in the definition, which is a bug in the program.
    init() throws {
        implementation = InterfaceImplementation(try ControlInterface.definition())
    }

    /// Registers the function that implements a method. Its errors are converted to errors of the interface.
    ///
    /// - Parameter queue: Names of the parameters that identify the queue to which the function adds its work.
    mutating func on<Call: ControlCall>(
        _ type: Call.Type, queue: [String]? = nil,
        _ body: @escaping @Sendable (Call) async throws -> Call.Reply
    ) throws {
        try on(type, queue: queue) { call, _ in try await body(call) }
    }

    /// Registers the function that implements a method and that needs to know the caller.
    ///
    /// - Parameter isStreaming: Whether the method may send several replies. If the daemon stops before the last
    ///   reply, the daemon sends an error that says so.
    mutating func on<Call: ControlCall>(
        _ type: Call.Type, isStreaming: Bool = false, queue: [String]? = nil,
        _ body: @escaping @Sendable (Call, CallContext) async throws -> Call.Reply
    ) throws {
        calls.append(type)
        try implementation.on(
            Call.method, isLooking: Call.isLooking, isStreaming: isStreaming, queue: queue
        ) {
            (call: Call, context) async throws -> Call.Reply in
            do {
                if Call.isLooking { return try await body(call, context) }
                return try await CommandCaller(hasGone: context.hasCallerGone).give {
                    try await body(call, context)
                }
            } catch let error as ControlError {
                throw try error.varlinkError()
            } catch let error as ApplicationError {
                throw try ControlError(error).varlinkError()
            } catch is CancellationError where context.stream != nil {
                throw try ControlError.daemonEnding.varlinkError()
            }
        }
    }
}
