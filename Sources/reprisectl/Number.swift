import ArgumentParser

/// Numbers as a person writes them.
enum Number {
    /// - Throws: a sentence, if it is no number or has no end.
    static func finite(_ text: String) throws -> Double {
        guard let number = Double(text), number.isFinite else {
            throw ValidationError("write a number such as 12, 0.5 or -3.")
        }
        return number
    }

    /// - Throws: a sentence, if it is no number, has no end, or is not above 0.
    static func aboveZero(_ text: String) throws -> Double {
        guard let number = Double(text), number.isFinite, number > 0 else {
            throw ValidationError("write a number above 0, such as 2 or 0.5.")
        }
        return number
    }
}
