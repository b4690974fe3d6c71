import ControllerKit
import RepriseControl
import StateRestoration

/// What a person does to objects. Each command tells why what it changed is not preserved; nil if it
/// is.
extension SceneCommands {
    /// Taps an object as a whole, or one of its rows.
    ///
    /// - Parameter row: counted from 0; nil: the object as a whole.
    func tap(row: Int? = nil, at path: String) throws(ControlError) -> String? {
        let target = try target(at: path)
        switch (target.object, row) {
        case (let rows as any ListOperating, let row?):
            return try operate(target, "tap", .object) { () throws(OperationError) in
                try rows.tapElement(at: row)
            }
        case (let whole as any Tappable, nil):
            return try operate(target, "tap", .controller) { () throws(OperationError) in
                try whole.tap()
            }
        case (is any ListOperating, nil):
            throw target.refusal(.notPossible("it has rows, name the one to tap"), "tap")
        case (is any Tappable, _?):
            throw target.refusal(.notPossible("it has no rows, leave the row out"), "tap")
        default: throw target.notApplicable("tap")
        }
    }

    /// Turns the edit mode on or off.
    func edit(_ isOn: Bool, at path: String) throws(ControlError) -> String? {
        try operate(path, "edit", as: (any Editable).self, .object) {
            editable throws(OperationError) in
            try editable.changeEditing(isOn)
        }
    }

    /// Moves a row to another place.
    func move(from: Int, to: Int, at path: String) throws(ControlError) -> String? {
        try operate(path, "move", as: (any ListOperating).self, .model) {
            rows throws(OperationError) in
            try rows.moveElement(from: from, to: to)
        }
    }

    /// Deletes a row.
    func delete(row: Int, at path: String) throws(ControlError) -> String? {
        try operate(path, "delete", as: (any ListOperating).self, .model) {
            rows throws(OperationError) in
            try rows.deleteElement(at: row)
        }
    }

    /// Chooses elements by their places.
    func select(_ indexes: [Int], at path: String) throws(ControlError) -> String? {
        let target = try target(at: path)
        // Which element of a control is chosen matters to its controller, as UIKit has it.
        let holder: CommandTarget.Holder = target.object is Control ? .controller : .object
        return try operate(target, "select", as: (any ElementChoosing).self, holder) {
            elements throws(OperationError) in
            try elements.choose(indexes)
        }
    }

    /// Chooses rows by the model's identifiers.
    func select(identifiers: [String], at path: String) throws(ControlError) -> String? {
        try operate(path, "select", as: (any ListOperating).self, .object) {
            rows throws(OperationError) in
            try rows.choose(modelIdentifiers: identifiers)
        }
    }

    /// Scrolls.
    func scroll(to point: Point, at path: String) throws(ControlError) -> String? {
        try operate(path, "scroll", as: (any Scrollable).self, .object) {
            scrollable throws(OperationError) in
            try scrollable.scroll(to: point)
        }
    }

    /// Zooms.
    ///
    /// - Parameter scale: finite and above 0.
    func zoom(to scale: Double, at path: String) throws(ControlError) -> String? {
        try operate(path, "zoom", as: (any Zoomable).self, .object) {
            zoomable throws(OperationError) in
            try zoomable.zoom(to: scale)
        }
    }

    /// Shows a page.
    func load(_ address: String, at path: String) throws(ControlError) -> String? {
        try operate(path, "load", as: (any HistoryBrowsing).self, .object) {
            history throws(OperationError) in
            try history.load(address)
        }
    }

    /// Goes back in a stack or a history.
    func back(at path: String) throws(ControlError) -> String? {
        try operate(path, "back", as: (any BackNavigating).self, .object) {
            place throws(OperationError) in
            try place.goBack()
        }
    }

    /// Goes forward in pages or a history.
    func forward(at path: String) throws(ControlError) -> String? {
        try operate(path, "forward", as: (any ForwardNavigating).self, .object) {
            place throws(OperationError) in
            try place.goForward()
        }
    }

    // MARK: Carrying out

    func operate<Role>(
        _ path: String, _ method: String, as role: Role.Type, _ holder: CommandTarget.Holder,
        _ body: (Role) throws(OperationError) -> Void
    ) throws(ControlError) -> String? {
        try operate(try target(at: path), method, as: role, holder, body)
    }

    func operate<Role>(
        _ target: CommandTarget, _ method: String, as role: Role.Type,
        _ holder: CommandTarget.Holder, _ body: (Role) throws(OperationError) -> Void
    ) throws(ControlError) -> String? {
        guard let object = target.object as? Role else { throw target.notApplicable(method) }
        return try operate(target, method, holder) { () throws(OperationError) in
            try body(object)
        }
    }

    private func operate(
        _ target: CommandTarget, _ method: String, _ holder: CommandTarget.Holder,
        _ body: () throws(OperationError) -> Void
    ) throws(ControlError) -> String? {
        do throws(OperationError) {
            try body()
        } catch {
            throw target.refusal(error, method)
        }
        return target.omission(of: holder)
    }
}
