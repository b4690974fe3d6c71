import Preservation
import RepriseControl
import Varlink

/// Carries out the methods of `org.reprise.Control`. A test compares them with the definition.
struct ServedMethods {
    /// The interface with a function for each of its methods.
    private(set) var implementation: InterfaceImplementation
    /// The calls that are answered.
    private(set) var calls: [any ControlCall.Type] = []

    /// - Throws: a syntax error of the definition, which is a fault of the program.
    init() throws {
        implementation = InterfaceImplementation(try ControlInterface.definition())
    }

    /// Registers the function that carries out a method. Its errors become those of the interface.
    mutating func on<Call: ControlCall>(
        _ type: Call.Type, _ body: @escaping @Sendable (Call) async throws -> Call.Reply
    ) throws {
        try on(type) { call, _ in try await body(call) }
    }

    /// Registers the function that carries out a method, and wants to know who calls.
    ///
    /// - Parameter isStreaming: whether it may have several replies. If the daemon ends meanwhile the
    ///   last one says so.
    mutating func on<Call: ControlCall>(
        _ type: Call.Type, isStreaming: Bool = false,
        _ body: @escaping @Sendable (Call, CallContext) async throws -> Call.Reply
    ) throws {
        calls.append(type)
        try implementation.on(
            Call.method, isLooking: Call.isLooking, isStreaming: isStreaming
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
