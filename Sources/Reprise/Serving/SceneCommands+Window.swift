import ControllerKit
import RepriseControl
import StateRestoration

/// What a person does to the scene as a whole. Each command tells why what it changed is not preserved;
/// nil if it is.
extension SceneCommands {
    /// Goes back in the stack that a person sees.
    func back() throws(ControlError) -> String? {
        let window = try window("back")
        let seen = window.topViewController
        try carryOut("back") { () throws(OperationError) in try window.goBack() }
        return omission(of: seen)
    }

    /// Takes away what was presented last.
    func dismiss() throws(ControlError) -> String? {
        let window = try window("dismiss")
        let presenter = window.topViewController?.presentingViewController
        try carryOut("dismiss") { () throws(OperationError) in try window.dismissTopmost() }
        return omission(of: presenter)
    }

    private func omission(of controller: ViewController?) -> String? {
        // Only what is not preserved is looked for in the whole tree.
        guard let controller, !controller.restoration.record.exists else { return nil }
        return survey.entries().first { $0.object === controller }?.loss
    }

    private func window(_ method: String) throws(ControlError) -> Window {
        guard let window else {
            throw .notPossible(path: nil, method: method, reason: "the scene has no window")
        }
        return window
    }

    private func carryOut(
        _ method: String, _ body: () throws(OperationError) -> Void
    ) throws(ControlError) {
        do throws(OperationError) {
            try body()
        } catch .notPossible(let reason) {
            throw .notPossible(path: nil, method: method, reason: reason)
        } catch {
            throw .notPossible(path: nil, method: method, reason: "\(error)")
        }
    }
}
