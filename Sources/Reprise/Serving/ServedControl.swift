import Preservation
import RepriseControl
import Varlink

/// Interface `org.reprise.Control` as a program serves it.
///
/// It adds to ``ServedMethods`` what all methods have in common: errors of applications become errors of the interface,
/// and a method that changes something knows whether its caller still waits.
struct ServedControl: InterfaceDispatcher {
    private let dispatcher: ControlDispatcher<ServedMethods>
    /// For each method, whether it is read-only.
    private let isReadOnly: [Bool]

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
