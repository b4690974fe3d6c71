import ArgumentParser
import RepriseControl

struct TypeCommand: ControlCommand, StandardInputCommand {
    static let abstract = "Types text into a field, or selects part of its text."
    static let discussion = """
        The text replaces the current text. If the text is -, the command types all of standard \
        input, including any trailing newline. To type a single hyphen, write -- - instead.
        """

    @OptionGroup var options: CallOptions<TypeCall>

    @Argument(help: "The path of a text field or text view.", completion: .paths)
    var path: String

    @Argument(help: "The text to type, or - to read standard input.")
    var text: String?

    @Flag(help: "Append the text to the current text.")
    var append = false

    @Option(
        help: ArgumentHelp(
            "After typing, select the characters from index A (zero-based) up to but not "
                + "including index B. A..A places the caret at index A.", valueName: "a..b"),
        transform: TextRange.init(argument:))
    var select: TextRange?

    var isRepeatable: Bool { !append }

    func validate() throws {
        if text != nil { return }
        if append { throw ValidationError("--append requires a text.") }
        if select == nil {
            throw ValidationError(
                "Missing expected argument '<text>', or --select A..B to select without typing.")
        }
    }

    func run(in context: CommandContext) throws {
        var call = resolvedCall(in: context)
        if text == "-" { call.text = try StandardInput.readText(in: context) }
        try callAndPrint(call, in: context)
    }

    var call: TypeCall {
        TypeCall(
            path: CommandWords.removingMarker(path), text: text.map(CommandWords.removingMarker),
            append: append ? true : nil, select: select)
    }
}

extension TextRange {
    /// Parses a range given on the command line.
    ///
    /// - Parameter argument: Text in the format `A..B`, with two integers in ascending order.
    fileprivate init(argument: String) throws {
        let parts = argument.split(separator: "..", omittingEmptySubsequences: false)
        guard parts.count == 2, let lower = Int(parts[0]), let upper = Int(parts[1]),
            lower >= 0, lower <= upper
        else {
            throw ValidationError(
                "write it like 2..5: the first selected character, and the first character after the selection."
            )
        }
        self.init(lower..<upper)
    }
}

struct SelectCommand: ControlCommand, NegativeNumberCommand {
    static let abstract = "Selects a segment, a tab, a page or rows."

    @OptionGroup var options: CallOptions<SelectCall>

    @Argument(
        help: "The path of the segmented control, list or container.", completion: .paths,
        transform: CommandWords.removingMarker)
    var path: String

    @Argument(help: "The zero-based indexes of the elements.")
    var indexes: [Int] = []

    @Option(
        name: .customLong("id"), parsing: .upToNextOption,
        help: "The model identifiers of the elements.", transform: CommandWords.removingMarker)
    var identifiers: [String] = []

    @Flag(help: "Deselect all rows.")
    var none = false

    func validate() throws {
        switch [!indexes.isEmpty, !identifiers.isEmpty, none].count(where: \.self) {
        case 0:
            throw ValidationError(
                "Missing expected argument '<indexes> ...', or --id and identifiers, or --none.")
        case 1: break
        default:
            throw ValidationError("Specify either indexes, or --id and identifiers, or --none.")
        }
    }

    var call: SelectCall {
        SelectCall(
            path: path, indexes: identifiers.isEmpty ? indexes : nil,
            identifiers: identifiers.isEmpty ? nil : identifiers)
    }
}

struct TapCommand: NonrepeatableCommand, NegativeNumberCommand {
    static let abstract = "Taps a button, a switch or a row."

    @OptionGroup var options: CallOptions<TapCall>

    @Argument(
        help: "The path of the view.", completion: .paths, transform: CommandWords.removingMarker)
    var path: String

    @Option(help: "The zero-based index of the row to tap.")
    var row: Int?

    var call: TapCall { TapCall(path: path, row: row) }
}

struct EditCommand: ControlCommand {
    static let abstract = "Turns edit mode on or off for a table or a controller."

    @OptionGroup var options: CallOptions<EditCall>

    @Argument(help: "The path of the table or controller.", completion: .paths)
    var path: String

    @Argument(help: "The edit mode: on or off.")
    var mode: EditMode

    var call: EditCall { EditCall(path: path, on: mode == .on) }
}

/// Argument that turns edit mode on or off.
enum EditMode: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
}

struct MoveCommand: NonrepeatableCommand, NegativeNumberCommand {
    static let abstract = "Moves a row."

    @OptionGroup var options: CallOptions<MoveCall>

    @Argument(
        help: "The table's path.", completion: .paths, transform: CommandWords.removingMarker)
    var path: String

    @Argument(help: "The zero-based index of the row.")
    var from: Int

    @Argument(help: "The index of the row after the move.")
    var to: Int

    var call: MoveCall { MoveCall(path: path, from: from, to: to) }
}

struct DeleteCommand: NonrepeatableCommand, NegativeNumberCommand {
    static let abstract = "Deletes a row."

    @OptionGroup var options: CallOptions<DeleteCall>

    @Argument(
        help: "The table's path.", completion: .paths, transform: CommandWords.removingMarker)
    var path: String

    @Argument(help: "The zero-based index of the row.")
    var row: Int

    var call: DeleteCall { DeleteCall(path: path, row: row) }
}

struct UndoDeleteCommand: NonrepeatableCommand {
    static let commandName = "undo-delete"
    static let abstract = "Restores the row that was deleted last."
    static let discussion = """
        Rows can be restored one after another until the daemon stops. The data source of the list \
        must support this.
        """

    @OptionGroup var options: CallOptions<UndoDeleteCall>

    @Argument(help: "The table's path.", completion: .paths)
    var path: String

    var call: UndoDeleteCall { UndoDeleteCall(path: path) }
}

struct EditTextCommand: NonrepeatableCommand {
    static let commandName = "edit-text"
    static let abstract = "Edits text at the caret, as a key press would."

    @OptionGroup var options: CallOptions<EditTextCall>

    @Argument(help: "The path of a text field or text view.", completion: .paths)
    var path: String

    @Argument(help: "The editing action to perform.")
    var action: TextAction?

    @Option(help: "Insert this text at the caret, replacing any selection.")
    var insert: String?

    @Flag(
        help: "Extend the selection. This option requires an action that moves the caret.")
    var extend = false

    func validate() throws {
        guard (action == nil) != (insert == nil) else {
            throw ValidationError("Specify either an action, or a text with --insert.")
        }
        if extend,
            action.map({ $0.rawValue.hasPrefix("move") || $0.rawValue.hasPrefix("page") }) != true
        {
            throw ValidationError("--extend requires an action that moves the caret.")
        }
    }

    var call: EditTextCall {
        EditTextCall(path: path, text: insert, action: action, extend: extend ? true : nil)
    }
}

extension TextAction: ExpressibleByArgument {}
