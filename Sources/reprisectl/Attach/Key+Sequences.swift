/// Keys for complete terminal sequences.
extension Key {
    /// Returns the key for a control sequence, or `nil` if the sequence does not represent a known key.
    ///
    /// - Parameters:
    ///   - body: The bytes between `ESC [` and the final byte.
    ///   - finalByte: The final byte.
    static func controlSequenceKey(_ body: [UInt8], finalByte: UInt8) -> Key? {
        if body.first == UInt8(ascii: "<") {
            guard finalByte == UInt8(ascii: "M") || finalByte == UInt8(ascii: "m") else {
                return nil
            }
            return mouseKey(
                parseParameters(body.dropFirst()), isPressed: finalByte == UInt8(ascii: "M"))
        }
        let numbers = parseParameters(body[...])
        guard finalByte == UInt8(ascii: "~") else {
            return cursorKey(finalByte, modifier: numbers.count > 1 ? numbers[1] : 1)
        }
        return switch numbers.first {
        case 1, 7: .home
        case 3: .delete
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        case 11: .help
        case 12: .scenes
        case 13: .history
        case 14: .inspector
        default: nil
        }
    }

    /// Returns the key for a sequence that begins with `ESC O`, or `nil` if the sequence does not represent a known
    /// key.
    ///
    /// - Parameters:
    ///   - body: The bytes between `ESC O` and the final byte.
    ///   - finalByte: The final byte.
    static func applicationModeKey(_ body: [UInt8], finalByte: UInt8) -> Key? {
        switch finalByte {
        case UInt8(ascii: "P"): .help
        case UInt8(ascii: "Q"): .scenes
        case UInt8(ascii: "R"): .history
        case UInt8(ascii: "S"): .inspector
        default: cursorKey(finalByte, modifier: parseParameters(body[...]).last ?? 1)
        }
    }

    /// Returns the key for a function key sequence from the Linux console, or `nil` if the key is not one of F1 to F4.
    static func consoleFunctionKey(_ finalByte: UInt8) -> Key? {
        let keys: [Key] = [.help, .scenes, .history, .inspector]
        let functionIndex = Int(finalByte) - 0x41
        return keys.indices.contains(functionIndex) ? keys[functionIndex] : nil
    }

    /// Parses the parameters of a sequence. A parameter that is missing, is not a number or has more than six digits
    /// becomes 0.
    private static func parseParameters(_ bytes: ArraySlice<UInt8>) -> [Int] {
        bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { digits in
            guard digits.count <= 6, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return 0 }
            return digits.reduce(0) { 10 * $0 + Int($1) - 0x30 }
        }
    }

    /// Returns the key for a cursor sequence.
    ///
    /// - Parameter modifier: 1, plus 1 for Shift, 2 for Alt and 4 for Control.
    private static func cursorKey(_ finalByte: UInt8, modifier: Int) -> Key? {
        let modifierBits = max(0, modifier - 1)
        let (hasShift, hasOtherModifier) = (modifierBits & 1 != 0, modifierBits & 6 != 0)
        func key(
            _ unmodifiedKey: Key, otherModifier otherKey: Key, shift shiftKey: Key,
            shiftAndOther combinedKey: Key
        ) -> Key {
            hasShift
                ? (hasOtherModifier ? combinedKey : shiftKey)
                : hasOtherModifier ? otherKey : unmodifiedKey
        }
        return switch finalByte {
        case UInt8(ascii: "A"):
            key(.up, otherModifier: .shiftUp, shift: .shiftUp, shiftAndOther: .shiftUp)
        case UInt8(ascii: "B"):
            key(.down, otherModifier: .shiftDown, shift: .shiftDown, shiftAndOther: .shiftDown)
        case UInt8(ascii: "C"):
            key(
                .right, otherModifier: .wordRight, shift: .shiftRight,
                shiftAndOther: .shiftWordRight)
        case UInt8(ascii: "D"):
            key(.left, otherModifier: .wordLeft, shift: .shiftLeft, shiftAndOther: .shiftWordLeft)
        case UInt8(ascii: "H"):
            key(.home, otherModifier: .top, shift: .shiftHome, shiftAndOther: .shiftTop)
        case UInt8(ascii: "F"):
            key(.end, otherModifier: .bottom, shift: .shiftEnd, shiftAndOther: .shiftBottom)
        case UInt8(ascii: "M"): .enter
        case UInt8(ascii: "Z"): .backTab
        default: nil
        }
    }

    private static func mouseKey(_ numbers: [Int], isPressed: Bool) -> Key? {
        guard numbers.count == 3 else { return nil }
        let (line, column) = (numbers[2] - 1, numbers[1] - 1)
        let button = numbers[0] & ~0b1_1100
        if !isPressed { return button == 0 ? .release(line: line, column: column) : nil }
        return switch button {
        case 0: .click(line: line, column: column)
        case 64: .wheel(line: line, column: column, by: -1)
        case 65: .wheel(line: line, column: column, by: 1)
        default: nil
        }
    }
}
