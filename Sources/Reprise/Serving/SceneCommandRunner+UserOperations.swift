import ControllerKit
import ExactText
import Preservation
import RepriseControl
import StateRestoration
import Varlink

/// User operations on objects and on the scene as a whole.
///
/// Each command returns a function that checks, after the pass, whether the command's change is preserved (P21).
extension SceneCommandRunner {
    /// Taps an object as a whole, or one of its rows.
    ///
    /// - Parameter row: The zero-based index of the row, or `nil` for the object as a whole.
    func tap(row: Int? = nil, at path: String) throws -> PersistenceCheck {
        let target = try target(at: path)
        switch (target.object, row) {
        case (is any ListInteracting, let row?):
            return try target.operate("tap", as: (any ListInteracting).self) {
                try $0.tapElement(at: row)
            }
        case (is any Tappable, nil):
            return try target.operate("tap", as: (any Tappable).self, of: .controller) {
                try $0.tap()
            }
        case (is any ListInteracting, nil):
            throw target.refusalError(.notPossible("it has rows; specify the row to tap"), "tap")
        case (is any Tappable, _?):
            throw target.refusalError(.notPossible("it has no rows; do not specify a row"), "tap")
        default: throw target.notApplicableError("tap")
        }
    }

    /// Performs a text edit, for example an edit that a key triggers.
    ///
    /// - Parameter drawnSize: The size of the object in the user's drawing, or `nil` for the object's own size.
    func edit(
        _ edit: TextEdit, drawn drawnSize: DrawnSize? = nil, at path: String
    ) throws -> PersistenceCheck {
        let target = try target(at: path)
        // The controller encodes the text (V4). The view encodes the selection and a number.
        return try target.operate(
            "edit-text", as: (any TextInput).self, of: edit.changesText ? .text : .object
        ) { input in
            if case .insertText(let text) = edit {
                try checkSize(appending: text, to: target.object)
            }
            if let drawnSize, let view = input as? TextView {
                try view.edit(edit, drawnSize: (drawnSize.columns, drawnSize.lines))
            } else {
                try input.edit(edit)
            }
        }
    }

    /// Turns edit mode on or off.
    func edit(_ isOn: Bool, at path: String) throws -> PersistenceCheck {
        try target(at: path).operate("edit", as: (any Editable).self) {
            try $0.changeEditing(isOn)
        }
    }

    /// Moves a row to another index.
    func move(from: Int, to: Int, at path: String) throws -> PersistenceCheck {
        try target(at: path).operate("move", as: (any ListInteracting).self, of: .model) {
            try $0.moveElement(from: from, to: to)
        }
    }

    /// Deletes a row.
    ///
    /// The deletion may also remove a controller that shows the row's element and has unsaved changes. The next pass
    /// then saves the controller's state to the history.
    func delete(row: Int, at path: String) throws -> PersistenceCheck {
        let drafts = window?.controllers.filter(\.isModalInPresentation) ?? []
        let check = try target(at: path).operate(
            "delete", as: (any ListInteracting).self, of: .model
        ) {
            try $0.deleteElement(at: row)
        }
        if !drafts.isEmpty {
            let remainingControllers = Set((window?.controllers ?? []).map(ObjectIdentifier.init))
            if drafts.contains(where: { !remainingControllers.contains(ObjectIdentifier($0)) }) {
                scene.hasRemovedUnsavedController = true
            }
        }
        return check
    }

    /// Restores the most recently deleted row.
    func undoDelete(at path: String) throws -> PersistenceCheck {
        try target(at: path).operate("undo-delete", as: ListView.self, of: .model) {
            try $0.undoDeletion()
        }
    }

    /// Selects elements by index.
    func select(_ indexes: [Int], at path: String) throws -> PersistenceCheck {
        let target = try target(at: path)
        // A control's selected element belongs to its controller's state, as in UIKit.
        let stateOwner: CommandTarget.StateOwner = target.object is Control ? .controller : .object
        return try target.operate("select", as: (any ElementSelecting).self, of: stateOwner) {
            try $0.select(indexes)
        }
    }

    /// Selects rows by their identifiers in the model.
    func select(identifiers: [String], at path: String) throws -> PersistenceCheck {
        try target(at: path).operate("select", as: (any ListInteracting).self) {
            try $0.select(modelIdentifiers: identifiers)
        }
    }

    /// Scrolls a view to a point.
    ///
    /// - Parameter drawnSize: The size of the view in the drawing to which the point refers, or `nil` for the view's
    ///   own size.
    func scroll(
        to point: Point, drawn drawnSize: DrawnSize? = nil, at path: String
    ) throws -> PersistenceCheck {
        try target(at: path).operate("scroll", as: (any Scrollable).self) { object in
            if let drawnSize, let view = object as? ScrollView {
                try view.scroll(to: point, drawnColumns: drawnSize.columns)
            } else {
                try object.scroll(to: point)
            }
        }
    }

    /// Zooms a view.
    ///
    /// - Parameter scale: The scale, which must be finite and greater than 0.
    func zoom(to scale: Double, at path: String) throws -> PersistenceCheck {
        try target(at: path).operate("zoom", as: (any Zoomable).self) { try $0.zoom(to: scale) }
    }

    /// Loads a page into a view.
    func load(_ address: String, at path: String) throws -> PersistenceCheck {
        try target(at: path).operate("load", as: (any WebNavigating).self) {
            try $0.load(address)
        }
    }

    /// Goes back by one controller in a stack, or by one entry in a history.
    ///
    /// - Parameters:
    ///   - path: The path of the stack or history, or `nil` for the visible stack.
    ///   - keepsChanges: Whether to throw an error if going back would discard unsaved changes.
    func back(at path: String? = nil, keepsChanges: Bool = false) throws -> PersistenceCheck {
        guard let path else {
            if keepsChanges { try refuseToDiscard(window?.controllerToPop, "back") }
            return try performOnWindow("back") { window in
                let topController = window.topViewController
                try window.goBack()
                return topController
            }
        }
        let target = try target(at: path)
        if keepsChanges, let stack = target.object as? NavigationController {
            try refuseToDiscard(stack.controllerToPop, "back")
        }
        return try target.operate("back", as: (any BackNavigating).self) { try $0.goBack() }
    }

    /// Goes forward by one page in a page view controller, or by one entry in a history.
    func forward(at path: String) throws -> PersistenceCheck {
        try target(at: path).operate("forward", as: (any ForwardNavigating).self) {
            try $0.goForward()
        }
    }

    // MARK: Typing

    /// Types text into an object, and selects text.
    ///
    /// - Parameters:
    ///   - text: The text to type, or `nil` to type nothing.
    ///   - isAppended: Whether to append the text to the existing text instead of replacing it.
    ///   - selection: The characters to select after typing, or `nil` to leave the caret where typing has put it.
    ///   - path: The path of the object.
    func type(
        _ text: String?, isAppended: Bool = false, selecting selection: Range<Int>? = nil,
        at path: String
    ) throws -> PersistenceCheck {
        let target = try target(at: path)
        // The controller encodes the text (V4). The view encodes the selection and a slider's number (V7).
        let stateOwner: CommandTarget.StateOwner =
            text == nil || target.object is Slider ? .object : .text
        let textCheck = try target.operate("type", as: (any TextInput).self, of: stateOwner) {
            input in
            if let text {
                // Only the object knows how long the text is after appending.
                if isAppended {
                    try checkSize(appending: text, to: target.object)
                } else if let selection,
                    selection.lowerBound < 0 || selection.upperBound > text.count
                {
                    throw OperationError.notPossible(
                        "the text has \(text.count) \(text.count == 1 ? "character" : "characters")"
                    )
                }
                try input.type(text, appending: isAppended)
            }
            guard let selection else { return }
            do {
                try input.selectText(selection)
            } catch OperationError.notPossible(let reason) where text != nil {
                throw OperationError.notPossible(
                    "the text was typed, but nothing was selected: \(reason)")
            }
        }
        let selectionLoss = selection == nil ? nil : target.omissionReason(includingObject: true)
        return { textCheck($0) ?? selectionLoss }
    }

    /// Checks that an object's text is still small enough to be saved (P9) after more text has been appended.
    func checkSize(
        appending text: String, to object: any StateRestoring
    ) throws(OperationError) {
        let currentByteCount = (object as? any RestorableTextInput)?.text.utf8.count ?? 0
        try checkSize(byteCount: currentByteCount + text.utf8.count)
    }

    /// Checks that a text of the given size can be saved (P9).
    private func checkSize(byteCount: Int) throws(OperationError) {
        let maximumBytes = scene.limits.maximumBytes
        guard byteCount > maximumBytes else { return }
        throw .notPossible(
            "the text would have \(byteCount) bytes, and the limit for a value is \(maximumBytes) "
                + "(limits.state)")
    }

    /// Replaces part of a text for a user who edits a copy of the text.
    ///
    /// The selection stays at the same characters, because another user can be typing at the caret.
    ///
    /// - Parameters:
    ///   - range: The range to replace, as indexes of Unicode scalars.
    ///   - base: The digest of the text to which the indexes refer.
    func replaceText(
        _ range: Range<Int>, with newText: String, base: String, at path: String
    ) throws -> PersistenceCheck {
        let target = try target(at: path)
        guard let object = target.object as? any RestorableTextInput & TextInput else {
            throw target.notApplicableError("replace-text")
        }
        let text = object.text
        guard TextDigest.digest(of: text) == base else {
            throw ControlError.textChanged(path: path, text: text)
        }
        let scalars = text.unicodeScalars
        guard range.upperBound <= scalars.count else {
            throw VarlinkError.invalidParameter("end")
        }
        let start = scalars.index(scalars.startIndex, offsetBy: range.lowerBound)
        let end = scalars.index(start, offsetBy: range.count)
        let beginning = String(text[..<start]) + newText
        let changedText = beginning + text[end...]
        let selection = Self.moveSelection(
            of: object, after: text[start..<end], isReplacedTo: beginning)
        return try target.operate("replace-text", as: (any TextInput).self, of: .text) { input in
            if changedText.utf8.count > text.utf8.count {
                try checkSize(byteCount: changedText.utf8.count)
            }
            try input.type(changedText, appending: false)
            // The text has been replaced. An action may have disabled the view or shortened the text, so a failure to
            // place the caret is ignored.
            do { try input.selectText(selection) } catch {}
        }
    }

    /// Returns the selection of a text in which a part will be replaced.
    ///
    /// A caret inside or next to this part moves to the end of the new text.
    ///
    /// - Parameters:
    ///   - part: The part of the object's text that will be replaced.
    ///   - beginning: The changed text up to the end of the new text.
    private static func moveSelection(
        of object: any RestorableTextInput, after part: Substring, isReplacedTo beginning: String
    ) -> Range<Int> {
        let text = object.text
        let selection =
            (object as? TextField)?.selectedRange ?? (object as? TextView)?.selectedRange
        guard let selection else { return beginning.count..<beginning.count }
        func move(_ index: Int, isEnd: Bool) -> Int {
            let position = text.index(
                text.startIndex, offsetBy: index, limitedBy: text.endIndex)
            guard let position, position > part.startIndex || !isEnd && position == part.startIndex
            else { return index }
            let isAfter = position > part.endIndex
            return (isAfter ? beginning + text[part.endIndex..<position] : beginning).count
        }
        let start = move(selection.lowerBound, isEnd: false)
        return start..<max(start, move(selection.upperBound, isEnd: !selection.isEmpty))
    }

    // MARK: The scene as a whole

    /// Dismisses the most recently presented controller.
    ///
    /// - Parameter keepsChanges: Whether to throw an error if dismissing the controller would discard unsaved changes.
    func dismiss(keepsChanges: Bool = false) throws -> PersistenceCheck {
        if keepsChanges { try refuseToDiscard(window?.controllerToDismiss, "dismiss") }
        return try performOnWindow("dismiss") { window in
            let presenter = window.topViewController?.presentingViewController
            try window.dismissTopmost()
            return presenter
        }
    }

    /// Throws an error if removing a controller would discard unsaved changes.
    private func refuseToDiscard(
        _ controller: ViewController?, _ method: String
    ) throws(ControlError) {
        guard let changedController = controller?.controllerWithUnsavedChanges else { return }
        throw .unsavedChanges(
            path: survey.address(of: changedController) ?? "@\(Swift.type(of: changedController))",
            method: method)
    }

    /// Runs an operation on the window.
    ///
    /// - Parameter body: A closure that changes the window, and returns the controller whose record must contain the
    ///   change.
    private func performOnWindow(
        _ method: String, _ body: (Window) throws -> ViewController?
    ) throws -> PersistenceCheck {
        guard let window else {
            throw ControlError.notPossible(
                path: nil, method: method, reason: "the scene has no window")
        }
        do {
            // The whole tree is searched only for a controller that is not preserved.
            guard let controller = try body(window), !controller.restoration.record.exists else {
                return { _ in nil }
            }
            let lossReason = survey.entries().first { $0.object === controller }?.lossReason
            return { _ in lossReason }
        } catch OperationError.notPossible(let reason) {
            throw ControlError.notPossible(path: nil, method: method, reason: reason)
        } catch {
            throw ControlError.notPossible(path: nil, method: method, reason: "\(error)")
        }
    }
}
