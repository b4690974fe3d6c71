import Preservation
import RepriseControl
import Varlink

extension ControlImplementation {
    /// What gives scenes another state.
    func onReplacing(_ interface: inout InterfaceImplementation) throws {
        try on(.rollback, &interface) { (parameters: RollbackParameters) in
            ReplacedReply(
                try await applications.find(parameters.application)
                    .rollBack(to: parameters.generation, scene: parameters.scene))
        }
        try on(.reset, &interface) { (parameters: ResetParameters) in
            let application = try applications.find(parameters.application)
            return ReplacedReply(
                try await parameters.toSaved == true
                    ? application.resetToSaved(scene: parameters.scene)
                    : application.reset(scene: parameters.scene))
        }
    }
}
