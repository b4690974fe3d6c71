import Preservation
import RepriseControl
import Varlink

/// Dispatcher that calls the methods of ``ControlImplementation`` for requests to `org.reprise.Control`.
///
/// The dispatcher converts application errors to interface errors. It lets methods that are not read-only check whether
/// the caller is still waiting.
struct ControlRequestDispatcher: InterfaceDispatcher {
    private let dispatcher: ControlDispatcher<ControlImplementation>
    /// Whether each method is read-only, indexed by the method's number.
    private let isReadOnly: [Bool]

    /// Creates a dispatcher.
    ///
    /// - Throws: An error if the interface definition has a syntax error, which would be a bug in this program.
    init(_ methods: ControlImplementation) throws {
        let dispatcher = try ControlDispatcher(methods)
        self.dispatcher = dispatcher
        isReadOnly = ControlMethod.allCases.map {
            dispatcher.traits(of: $0.rawValue)?.isReadOnly == true
        }
    }

    var definition: InterfaceDefinition { dispatcher.definition }

    func traits(of method: Int) -> MethodTraits? { dispatcher.traits(of: method) }

    func answer(_ request: MethodRequest) async throws -> [UInt8] {
        do {
            if isReadOnly[request.method] { return try await dispatcher.answer(request) }
            return try await CommandCaller(hasDisconnected: request.context.hasCallerDisconnected)
                .performAsCurrent {
                    try await dispatcher.answer(request)
                }
        } catch let error as ApplicationError {
            throw ControlError(error)
        } catch is CancellationError where request.context.stream != nil {
            throw ControlError.daemonEnding
        }
    }
}
