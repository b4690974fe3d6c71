#ifndef REPRISE_COPENSSL_SHIM_H
#define REPRISE_COPENSSL_SHIM_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

// Derives a key by HKDF with SHA-256 (RFC 5869). The function is written in C because an OSSL_PARAM list requires four
// nested closures in Swift. Returns 1, or 0 or less after a failure.
static inline int reprise_hkdf_sha256(EVP_KDF *hkdf, const void *key, size_t key_length, const void *salt,
                                      size_t salt_length, const void *info, size_t info_length,
                                      unsigned char *derived, size_t derived_length) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, "SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_length),
        OSSL_PARAM_construct_end(),
    };
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(hkdf);
    if (context == NULL) return 0;
    int result = EVP_KDF_derive(context, derived, derived_length, parameters);
    EVP_KDF_CTX_free(context);
    return result;
}

#endif
