import ControllerKit
import RepriseControl

extension SceneCommands {
    /// Types into an object, and selects.
    ///
    /// - Parameters:
    ///   - text: what is typed; nil: nothing.
    ///   - isAppended: whether it is written behind the text that is there; else it replaces it.
    ///   - selection: the characters that are selected then; nil: the caret stays where typing puts it.
    ///   - path: where the object is.
    /// - Returns: why what was changed is not preserved; nil if it is.
    func type(
        _ text: String?, isAppended: Bool = false, selecting selection: Range<Int>? = nil,
        at path: String
    ) throws(ControlError) -> String? {
        // The text is the controller's to encode, the selection is the view's own (V4).
        let holder: CommandTarget.Holder = text == nil ? .object : .controller
        let target = try target(at: path)
        let omission = try operate(target, "type", as: (any TextInput).self, holder) {
            input throws(OperationError) in
            if let text {
                if !isAppended { try Self.check(selection, in: text) }
                try input.type(text, appending: isAppended)
            }
            guard let selection else { return }
            do throws(OperationError) {
                try input.chooseText(selection)
            } catch .notPossible(let reason) where text != nil {
                throw .notPossible("the text was typed, and not selected in: \(reason)")
            }
        }
        if let omission { return omission }
        return selection == nil ? nil : target.omission(of: .object)
    }

    /// Refuses a selection beyond the text before it is typed. How long a text becomes by what is
    /// written behind it only the object knows.
    private static func check(
        _ selection: Range<Int>?, in text: String
    ) throws(OperationError) {
        guard let selection else { return }
        guard selection.lowerBound >= 0, selection.upperBound <= text.count else {
            throw .notPossible(
                "the text has \(text.count) \(text.count == 1 ? "character" : "characters")")
        }
    }
}
