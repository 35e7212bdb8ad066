package sitetest

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"
)

// fileMark begins the value of a field with a file.
const fileMark = "\x00file "

// FileValue returns the value of a field with a file.
func FileValue(name, content string) string { return fileMark + name + "\x00" + content }

// FileOf returns the name and the content of the file in a value, and whether it is a file.
func FileOf(value string) (name, content string, ok bool) {
	value, ok = strings.CutPrefix(value, fileMark)
	name, content, _ = strings.Cut(value, "\x00")
	return name, content, ok
}

// FileJSON returns the file of a value for the API.
func FileJSON(value string) any {
	name, content, _ := FileOf(value)
	return map[string]any{"name": name, "content": []byte(content)}
}

// EncodeForm returns a form as a browser sends it, with its content type: as several parts if it has a file. Files come last.
func EncodeForm(form url.Values) (contentType, body string) {
	texts, files := url.Values{}, url.Values{}
	for name, values := range form {
		for _, value := range values {
			if _, _, ok := FileOf(value); ok {
				files.Add(name, value)
			} else {
				texts.Add(name, value)
			}
		}
	}
	if len(files) == 0 {
		return "application/x-www-form-urlencoded", form.Encode()
	}
	var all bytes.Buffer
	w := multipart.NewWriter(&all)
	for name, values := range texts {
		for _, value := range values {
			_ = w.WriteField(name, value) // a buffer returns no errors
		}
	}
	for name := range files {
		file, content, _ := FileOf(files.Get(name))
		part, _ := w.CreateFormFile(name, file)
		_, _ = io.WriteString(part, content)
	}
	_ = w.Close()
	return w.FormDataContentType(), all.String()
}

// decodeForm returns the fields of a form that was sent, without files.
func decodeForm(contentType, body string) url.Values {
	if _, of, err := mime.ParseMediaType(contentType); err == nil && of["boundary"] != "" {
		form, err := multipart.NewReader(strings.NewReader(body), of["boundary"]).ReadForm(int64(len(body)))
		if err != nil {
			return url.Values{}
		}
		return form.Value
	}
	form, _ := url.ParseQuery(body)
	return form
}
