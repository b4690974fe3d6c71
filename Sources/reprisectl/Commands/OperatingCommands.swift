import ArgumentParser
import RepriseControl

/// What a person does to texts, elements and rows.
enum OperatingCommands {
    static let all: [any ParsableCommand.Type] = [
        TypeCommand.self, SelectCommand.self, TapCommand.self, EditCommand.self, MoveCommand.self,
        DeleteCommand.self, EditTextCommand.self,
    ]
}

struct TypeCommand: ControlCommand {
    static let abstract = "Types a text in the place of the one that is there, and selects."
    static let discussion = """
        A text of - stands for standard input, up to its end and with the newline that it may end with; \
        behind -- it stands for itself.
        """

    @OptionGroup var options: ChangedScene

    @Argument(help: "The path of a text field or text view.", completion: LiveCompletion.paths)
    var path: String

    @Argument(help: "The text; - takes it from standard input.")
    var text: String?

    @Flag(help: "Write the text behind the one that is there.")
    var append = false

    @Option(
        help: ArgumentHelp(
            "Then select the characters from A up to, but without, B, counted from 0; A..A places "
                + "the caret.", valueName: "a..b"),
        transform: TextRange.init(written:))
    var select: TextRange?

    /// Whether a text of - stands for itself.
    var isTextLiteral = false

    var isRepeatable: Bool { !append }

    func validate() throws {
        if text != nil { return }
        if append { throw ValidationError("Name the text that --append is to write.") }
        if select == nil {
            throw ValidationError(
                "Missing expected argument '<text>', or --select A..B to select without typing.")
        }
    }

    func run(in session: Session) throws {
        var command = self
        if text == "-", !isTextLiteral { command.text = try StandardInput.text(in: session) }
        try command.carryOut(in: session)
    }

    func state(in call: inout TypeCall) {
        call.path = path
        call.text = text
        call.append = append ? true : nil
        call.select = select
    }
}

extension TextRange {
    /// - Parameter written: `A..B`, two whole numbers in their order.
    fileprivate init(written: String) throws {
        let parts = written.split(separator: "..", omittingEmptySubsequences: false)
        guard parts.count == 2, let lower = Int(parts[0]), let upper = Int(parts[1]),
            lower >= 0, lower <= upper
        else {
            throw ValidationError(
                "write it like 2..5, the first character and the first one behind them.")
        }
        self.init(lower..<upper)
    }
}

struct SelectCommand: ControlCommand {
    static let abstract = "Chooses elements: a segment, a tab, a page, rows; or no row."

    @OptionGroup var options: ChangedScene

    @Argument(help: "The path of what has the elements.", completion: LiveCompletion.paths)
    var path: String

    @Argument(help: "The elements' places, counted from 0.")
    var indexes: [Int] = []

    @Option(
        name: .customLong("id"), parsing: .upToNextOption,
        help: "The model's identifiers of what the elements show.")
    var identifiers: [String] = []

    @Flag(help: "Choose none: no row is chosen any more.")
    var none = false

    func validate() throws {
        switch (indexes.isEmpty, identifiers.isEmpty, none) {
        case (true, true, false):
            throw ValidationError(
                "Missing expected argument '<indexes> ...', or --id and identifiers, or --none.")
        case (false, true, false), (true, false, false), (true, true, true): break
        default:
            throw ValidationError(
                "Name elements by their places or with --id, or give --none: one of the three.")
        }
    }

    func state(in call: inout SelectCall) {
        call.path = path
        call.indexes = identifiers.isEmpty ? indexes : nil
        call.identifiers = identifiers.isEmpty ? nil : identifiers
    }
}

struct TapCommand: ControlCommand {
    static let abstract = "Taps a button, a switch or a row."
    var isRepeatable: Bool { false }

    @OptionGroup var options: ChangedScene

    @Argument(help: "The path of what is tapped.", completion: LiveCompletion.paths)
    var path: String

    @Option(help: "Of what has rows the row, counted from 0.")
    var row: Int?

    func state(in call: inout TapCall) {
        call.path = path
        call.row = row
    }
}

struct EditCommand: ControlCommand {
    static let abstract = "Turns the edit mode of a table or a controller on or off."

    @OptionGroup var options: ChangedScene

    @Argument(help: "The table's or controller's path.", completion: LiveCompletion.paths)
    var path: String

    @Argument(help: "on or off.")
    var mode: EditMode

    func state(in call: inout EditCall) {
        call.path = path
        call.on = mode == .on
    }
}

/// What an edit mode can be.
enum EditMode: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
}

struct MoveCommand: ControlCommand {
    static let abstract = "Moves a row to another place."
    var isRepeatable: Bool { false }

    @OptionGroup var options: ChangedScene

    @Argument(help: "The table's path.", completion: LiveCompletion.paths)
    var path: String

    @Argument(help: "Where the row is, counted from 0.")
    var from: Int

    @Argument(help: "Where it is afterwards.")
    var to: Int

    func state(in call: inout MoveCall) {
        call.path = path
        call.from = from
        call.to = to
    }
}

struct DeleteCommand: ControlCommand {
    static let abstract = "Deletes a row."
    var isRepeatable: Bool { false }

    @OptionGroup var options: ChangedScene

    @Argument(help: "The table's path.", completion: LiveCompletion.paths)
    var path: String

    @Argument(help: "The row, counted from 0.")
    var row: Int

    func state(in call: inout DeleteCall) {
        call.path = path
        call.row = row
    }
}

struct EditTextCommand: ControlCommand {
    typealias Call = EditTextCall
    static let commandName = "edit-text"
    static let abstract = "Edits a text at its caret, as a key does."

    @OptionGroup var options: ChangedScene

    @Argument(help: "The path of the text.", completion: LiveCompletion.paths)
    var path: String

    @Argument(help: "What the key does.")
    var action: TextAction?

    @Option(help: "Write this text at the caret, in place of what is selected.")
    var insert: String?

    @Flag(
        help:
            "Select: one end of the selection stays, and the other moves; with an action that moves."
    )
    var extend = false

    var isRepeatable: Bool { false }

    func validate() throws {
        guard (action == nil) != (insert == nil) else {
            throw ValidationError("Name an action, or a text with --insert, and not both.")
        }
        if extend,
            action.map({ $0.rawValue.hasPrefix("move") || $0.rawValue.hasPrefix("page") }) != true
        {
            throw ValidationError("--extend goes with an action that moves.")
        }
    }

    func state(in call: inout Call) {
        call.path = path
        call.text = insert
        call.action = action
        if extend { call.extend = true }
    }
}

extension TextAction: ExpressibleByArgument {}
