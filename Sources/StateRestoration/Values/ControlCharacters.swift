extension String {
    /// Text in which control characters and line separators are escaped, such as a newline as `\n`.
    ///
    /// Messages contain text from outside the program in this form, so that it cannot add lines to a log.
    package var escapingControlCharacters: String {
        if utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return self }
        var result = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator:
                result += scalar.escaped(asASCII: true)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
