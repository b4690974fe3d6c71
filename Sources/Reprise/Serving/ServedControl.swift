import Preservation
import RepriseControl
import Varlink

/// Dispatcher for the interface `org.reprise.Control`, which calls the methods of ``ServedMethods``.
///
/// It converts application errors to errors of the interface. Methods that are not read-only can check whether the
/// caller is still waiting.
struct ServedControl: InterfaceDispatcher {
    private let dispatcher: ControlDispatcher<ServedMethods>
    /// Whether each method is read-only, indexed by the method's number.
    private let isReadOnly: [Bool]

    /// Creates a dispatcher.
    ///
    /// - Throws: A syntax error in the definition, which is a bug in the program.
    init(_ methods: ServedMethods) throws {
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
            return try await CommandCaller(hasGone: request.context.hasCallerGone).give {
                try await dispatcher.answer(request)
            }
        } catch let error as ApplicationError {
            throw ControlError(error)
        } catch is CancellationError where request.context.stream != nil {
            throw ControlError.daemonEnding
        }
    }
}
