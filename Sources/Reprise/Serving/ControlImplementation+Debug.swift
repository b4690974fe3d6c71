import Preservation
import RepriseControl
import StateRestoration
import Varlink

extension ControlImplementation {
    /// What ends the daemon, to try out what comes back.
    func onDebug(_ interface: inout InterfaceImplementation) throws {
        try on(.debugExit, &interface) { (parameters: DebugExitParameters) in
            let status = parameters.status ?? 0
            guard let code = UInt8(exactly: status) else {
                throw VarlinkError.invalidParameter("status")
            }
            return try await arm(
                parameters.application, parameters.stage, .exit(code: Int32(code)))
        }
        try on(.debugTrap, &interface) { (parameters: DebugTrapParameters) in
            try await arm(parameters.application, parameters.stage, .trap)
        }
    }

    private func arm(
        _ name: String?, _ stageName: String, _ action: DebugExitAction
    ) async throws -> Empty {
        guard condition.values.configuration.debug.exits else {
            throw ControlError.debugExitsNotAllowed
        }
        guard let stage = Stage(rawValue: stageName) else {
            throw ControlError.noSuchStage(
                stage: stageName, stages: Stage.allCases.map(\.rawValue))
        }
        try await applications.find(name).armDebugExit(stage: stage, action: action)
        return Empty()
    }
}
