import ControllerKit
import ExactText
import Preservation
import RepriseControl
import StateRestoration
import Varlink

/// Methods that operate on one scene.
extension ControlImplementation {
    func call(_ call: CallCall, _ context: CallContext) async throws -> CallCall.Reply {
        let reply = try await applications.find(call.application).change(on: call.scene) {
            try SceneCommandRunner($0).call(call.command, call.arguments ?? [:], at: call.path)
        }
        var result = CallCall.Reply(reply.saved)
        result.result = reply.result
        return result
    }

    func type(_ call: TypeCall, _ context: CallContext) async throws -> TypeCall.Reply {
        try await operate(call) { scene in
            if call.text == nil {
                if call.append == true { throw VarlinkError.invalidParameter("append") }
                if call.select == nil { throw VarlinkError.invalidParameter("text") }
            }
            if let select = call.select, select.range == nil {
                throw VarlinkError.invalidParameter("select")
            }
            return try scene.type(
                call.text, isAppended: call.append == true, selecting: call.select?.range,
                at: call.path)
        }
    }

    func editText(_ call: EditTextCall, _ context: CallContext) async throws -> EditTextCall.Reply {
        try await operate(call) { scene in
            try call.drawn?.check()
            return try scene.edit(call.edit, drawn: call.drawn, at: call.path)
        }
    }

    func replaceText(
        _ call: ReplaceTextCall, _ context: CallContext
    ) async throws -> ReplaceTextCall.Reply {
        guard call.start >= 0, call.start <= call.end else {
            throw VarlinkError.invalidParameter("end")
        }
        return try await operate(call) { scene in
            try scene.replaceText(
                call.start..<call.end, with: call.text, base: call.base, at: call.path)
        }
    }

    func select(_ call: SelectCall, _ context: CallContext) async throws -> SelectCall.Reply {
        try await operate(call) { scene in
            switch (call.indexes, call.identifiers) {
            case (let indexes?, nil): try scene.select(indexes, at: call.path)
            case (nil, let identifiers?):
                try scene.select(identifiers: identifiers, at: call.path)
            case (nil, nil): throw VarlinkError.invalidParameter("indexes")
            case (_?, _?): throw VarlinkError.invalidParameter("identifiers")
            }
        }
    }

    func tap(_ call: TapCall, _ context: CallContext) async throws -> TapCall.Reply {
        try await operate(call) { try $0.tap(row: call.row, at: call.path) }
    }

    func edit(_ call: EditCall, _ context: CallContext) async throws -> EditCall.Reply {
        try await operate(call) { try $0.edit(call.on, at: call.path) }
    }

    func move(_ call: MoveCall, _ context: CallContext) async throws -> MoveCall.Reply {
        try await operate(call) { try $0.move(from: call.from, to: call.to, at: call.path) }
    }

    func delete(_ call: DeleteCall, _ context: CallContext) async throws -> DeleteCall.Reply {
        try await operate(call) { try $0.delete(row: call.row, at: call.path) }
    }

    func undoDelete(
        _ call: UndoDeleteCall, _ context: CallContext
    ) async throws -> UndoDeleteCall.Reply {
        try await operate(call) { try $0.undoDelete(at: call.path) }
    }

    func scroll(_ call: ScrollCall, _ context: CallContext) async throws -> ScrollCall.Reply {
        try await operate(call) { scene in
            try call.drawn?.check()
            return try scene.scroll(
                to: Point(x: call.x, y: call.y), drawn: call.drawn, at: call.path)
        }
    }

    func zoom(_ call: ZoomCall, _ context: CallContext) async throws -> ZoomCall.Reply {
        try await operate(call) { scene in
            guard call.scale > 0 else { throw VarlinkError.invalidParameter("scale") }
            return try scene.zoom(to: call.scale, at: call.path)
        }
    }

    func load(_ call: LoadCall, _ context: CallContext) async throws -> LoadCall.Reply {
        try await operate(call) { try $0.load(call.url, at: call.path) }
    }

    func back(_ call: BackCall, _ context: CallContext) async throws -> BackCall.Reply {
        try await operate(call) {
            try $0.back(at: call.path, keepsChanges: call.keepChanges == true)
        }
    }

    func forward(_ call: ForwardCall, _ context: CallContext) async throws -> ForwardCall.Reply {
        try await operate(call) { try $0.forward(at: call.path) }
    }

    func dismiss(_ call: DismissCall, _ context: CallContext) async throws -> DismissCall.Reply {
        try await operate(call) { try $0.dismiss(keepsChanges: call.keepChanges == true) }
    }

    /// Performs a user operation on a call's scene, unless the scene has already performed the operation.
    ///
    /// - Parameter body: A closure that performs the operation, and returns a function that checks whether the change
    ///   is preserved.
    private func operate<Call: OperationCall>(
        _ call: Call, _ body: @escaping @Sendable (SceneCommandRunner) throws -> PersistenceCheck
    ) async throws -> Call.Reply where Call.Reply: SaveOutcome {
        let operation = call.operation
        if operation?.isValid == false { throw VarlinkError.invalidParameter("operation") }
        let reply = try await applications.find(call.application).change(on: call.scene) { scene in
            guard let operation else { return ((), try body(SceneCommandRunner(scene))) }
            let lastOperationNumber =
                scene.lastOperationNumbers.lastOperationNumber(of: operation.client) ?? 0
            if operation.number <= lastOperationNumber { return ((), { _ in nil }) }
            let saveCheck = try body(SceneCommandRunner(scene))
            scene.lastOperationNumbers.record(operation.number, of: operation.client)
            return ((), saveCheck)
        }
        return .init(reply.saved)
    }
}

extension DrawnSize {
    /// Checks that an element of this size fits into a rendering.
    fileprivate func check() throws(VarlinkError) {
        guard (1...TextCanvas.maximumWidth).contains(columns),
            (1...TextCanvas.maximumLines).contains(lines)
        else {
            throw .invalidParameter("drawn")
        }
    }
}

extension EditTextCall {
    /// Edit that the call requests.
    fileprivate var edit: TextEdit {
        get throws(VarlinkError) {
            let edit: TextEdit =
                switch (text, action) {
                case (let text?, nil): .insertText(text)
                case (nil, let action?): TextEdit(action)
                case (nil, nil): throw .invalidParameter("text")
                case (_?, _?): throw .invalidParameter("action")
                }
            guard extend == true else { return edit }
            guard case .move(let movement) = edit else { throw .invalidParameter("extend") }
            return .extendSelection(movement)
        }
    }
}

extension TextEdit {
    /// Creates the edit that corresponds to an action in the interface.
    fileprivate init(_ action: TextAction) {
        self =
            switch action {
            case .deleteBackward: .delete(.left)
            case .deleteForward: .delete(.right)
            case .deleteWordBackward: .delete(.wordLeft)
            case .deleteToBeginningOfLine: .delete(.beginningOfLine)
            case .deleteToEndOfLine: .delete(.endOfLine)
            case .moveLeft: .move(.left)
            case .moveRight: .move(.right)
            case .moveWordLeft: .move(.wordLeft)
            case .moveWordRight: .move(.wordRight)
            case .moveToBeginningOfLine: .move(.beginningOfLine)
            case .moveToEndOfLine: .move(.endOfLine)
            case .moveUp: .move(.up)
            case .moveDown: .move(.down)
            case .pageUp: .move(.pageUp)
            case .pageDown: .move(.pageDown)
            case .moveToBeginningOfDocument: .move(.beginningOfDocument)
            case .moveToEndOfDocument: .move(.endOfDocument)
            case .selectAll: .selectAll
            }
    }
}
